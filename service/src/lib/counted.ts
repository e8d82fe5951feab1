/** Formats a number with its noun: "1 core", "2 cores", "0 addresses". The plural has an s unless it is given. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
