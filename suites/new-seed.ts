import fc from 'fast-check';

// Imported before property tests. Each run has other values, and prints its seed, so that a failure can be reproduced
// with BERTH_PROPERTY_SEED.

const given = Number(process.env.BERTH_PROPERTY_SEED || Number.NaN);
const seed = Number.isSafeInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);
console.log(`BERTH_PROPERTY_SEED=${seed}`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
