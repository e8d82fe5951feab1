/** "1 core", "2 cores", "0 addresses": a number with its noun, whose plural is made with an s unless it is given. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
