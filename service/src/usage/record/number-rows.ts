const firstRows = 16;

/**
 * Rows of numbers in one typed array, for what is kept of very many things: the garbage collector has one object to look
 * at, instead of one for each of them. A number takes 8 bytes. The array doubles when it is full, so up to half of it
 * may be unused, and it never shrinks.
 */
export class NumberRows {
  readonly #width: number;
  #numbers: Float64Array;
  /** Rows that were removed, and are used again first. */
  readonly #free: number[] = [];
  /** The number of rows that were ever in use. */
  #rows = 0;

  /** `width` is the number of columns. */
  constructor(width: number) {
    this.#width = width;
    this.#numbers = new Float64Array(firstRows * width);
  }

  /** Returns the index of a row that is not in use. The caller sets all of its columns. */
  add(): number {
    const removed = this.#free.pop();
    if (removed !== undefined) return removed;
    const row = this.#rows;
    this.#rows += 1;
    if (this.#rows * this.#width > this.#numbers.length) this.#grow();
    return row;
  }

  /** Leaves the row to a later `add`. It must be in use. */
  remove(row: number): void {
    this.#free.push(row);
  }

  /** The row must be in use. */
  get(row: number, column: number): number {
    return this.#numbers[row * this.#width + column] ?? Number.NaN;
  }

  /** The row must be in use. */
  set(row: number, column: number, value: number): void {
    this.#numbers[row * this.#width + column] = value;
  }

  #grow(): void {
    const grown = new Float64Array(this.#numbers.length * 2);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}
