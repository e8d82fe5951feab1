import fc from 'fast-check';

// Imported before property tests: their values are new in each run, and the seed is printed so that a failure can be
// seen again with BERTH_PROPERTY_SEED.

const given = Number(process.env.BERTH_PROPERTY_SEED || Number.NaN);
const seed = Number.isSafeInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);
console.log(`BERTH_PROPERTY_SEED=${seed}`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
