import { once } from 'node:events';
import Fastify from 'fastify';
import { createPool } from '../service/src/db/connection.ts';
import { startEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';

// The baseline for a start: the same embedded PostgreSQL, a pool, and Fastify with one route. Usage:
// node bare-start.ts DATA_DIR. It prints its port, and stops PostgreSQL upon SIGTERM.

const [dataDir = ''] = process.argv.slice(2);
const { connectionString, stop } = await startEmbeddedPostgres({ dataDir });
const pool = createPool(connectionString);
const app = Fastify();
app.get('/', async () => (await pool.query('select 1 as one')).rows);
await pool.query('select 1');
const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
console.log(url.port);
await once(process, 'SIGTERM');
await app.close();
await pool.end();
await stop();
process.exit();
