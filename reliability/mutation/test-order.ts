/** The place of a mutant. */
export interface Place {
  file: string;
  line: number;
}

/** Orders the tests of mutants so that those that are likely to detect one run first. */
export interface TestOrder {
  /** Sorts in place the tests that cover a mutant. */
  sort(place: Place, tests: string[]): void;
  /** Takes note that a test detected a mutant. */
  detected(place: Place, test: string): void;
}

/** What each test counts for before it has detected anything, compared with a mutant of the same line that it detected. */
const unknownTest = 0.2;
/** At this distance, a detected mutant counts for half of one of the same line. */
const halfAtLines = 10;

/**
 * Begins with the fastest tests, and learns which ones detect the mutants of a file, mostly from the mutants nearby.
 * @param durations of the tests without any change, in ms
 */
export function createTestOrder(durations: ReadonlyMap<string, number>): TestOrder {
  /** By file and test, the lines of the mutants that it detected. */
  const detections = new Map<string, Map<string, number[]>>();
  /** How much it is expected to detect per time. */
  function yieldOf({ file, line }: Place, test: string): number {
    const lines = detections.get(file)?.get(test) ?? [];
    const known = lines.reduce((sum, other) => sum + nearness(line, other), unknownTest);
    return known / (durations.get(test) ?? 1);
  }
  return {
    sort(place, tests) {
      const yields = new Map(tests.map((test) => [test, yieldOf(place, test)]));
      tests.sort((one, other) => (yields.get(other) ?? 0) - (yields.get(one) ?? 0));
    },
    detected({ file, line }, test) {
      const ofFile = detections.get(file) ?? new Map<string, number[]>();
      detections.set(file, ofFile.set(test, [...(ofFile.get(test) ?? []), line]));
    },
  };
}

const nearness = (line: number, other: number) =>
  halfAtLines / (halfAtLines + Math.abs(line - other));
