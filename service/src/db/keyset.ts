import { sql } from 'kysely';

/** Where a page begins: after the row with this sort value and this id. */
export interface After {
  value: string | number;
  id: number;
}

/** The columns that a list is in the order of, and which way. */
interface Order {
  sort: string;
  id: string;
  descending: boolean;
}

/** Of the rows of a list, those that come after one. */
export function isBeyond({ value, id }: After, order: Order) {
  const beyond = sql.raw(order.descending ? '<' : '>');
  if (order.sort === order.id) return sql<boolean>`${sql.ref(order.id)} ${beyond} ${id}`;
  return sql<boolean>`(${sql.ref(order.sort)}, ${sql.ref(order.id)}) ${beyond} (${value}, ${id})`;
}
