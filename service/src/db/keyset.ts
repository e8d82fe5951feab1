import { sql } from 'kysely';

/** The position of a page in a list: it begins after the row with this sort value and this id. */
export interface After {
  value: string | number;
  id: number;
}

/** The columns by which a list is sorted, and the direction. */
interface Order {
  sort: string;
  id: string;
  descending: boolean;
}

/** Matches the rows of a list that come after a position. */
export function isBeyond({ value, id }: After, order: Order) {
  const beyond = sql.raw(order.descending ? '<' : '>');
  if (order.sort === order.id) return sql<boolean>`${sql.ref(order.id)} ${beyond} ${id}`;
  return sql<boolean>`(${sql.ref(order.sort)}, ${sql.ref(order.id)}) ${beyond} (${value}, ${id})`;
}
