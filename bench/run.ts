import { benchCreate } from './create.ts';

// npm run bench -- NAME: measures one thing against a baseline of the same run, and prints the ratio.

const benchmarks: Record<string, () => Promise<boolean>> = { create: benchCreate };

const name = process.argv[2] ?? '';
const benchmark = benchmarks[name];
if (!benchmark) {
  console.error(
    `Usage: npm run bench -- NAME, which is one of: ${Object.keys(benchmarks).join(', ')}`,
  );
  process.exitCode = 2;
} else if (!(await benchmark())) {
  process.exitCode = 1;
}
