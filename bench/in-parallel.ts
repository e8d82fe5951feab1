/** Acts `count` times, with numbers from 0, and `atOnce` of them at a time. */
export async function inParallel(
  count: number,
  atOnce: number,
  act: (number: number) => Promise<unknown>,
): Promise<void> {
  let number = 0;
  const actInTurn = async () => {
    while (number < count) await act(number++);
  };
  await Promise.all(Array.from({ length: atOnce }, actInTurn));
}
