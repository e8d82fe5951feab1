import fc from 'fast-check';

// Imported by each file with property tests: their values are the same in each run, so that a run
// fails only after a change. BERTH_PROPERTY_SEED sets another seed; the long tests use a new one in
// each run.

const seed = Number(process.env.BERTH_PROPERTY_SEED || 1);
if (!Number.isSafeInteger(seed)) throw new TypeError('BERTH_PROPERTY_SEED must be an integer.');
const global = fc.readConfigureGlobal();
if (global.seed === undefined) fc.configureGlobal({ ...global, seed });
