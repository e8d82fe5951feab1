import fc from 'fast-check';

// Imported by each file of property tests: their values are the same in each run, so that a run is red only where
// something was changed. BERTH_PROPERTY_SEED names another seed; the long tests give each run a new one.

const seed = Number(process.env.BERTH_PROPERTY_SEED || 1);
if (!Number.isSafeInteger(seed)) throw new TypeError('BERTH_PROPERTY_SEED must be an integer.');
const global = fc.readConfigureGlobal();
if (global.seed === undefined) fc.configureGlobal({ ...global, seed });
