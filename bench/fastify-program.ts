import Fastify from 'fastify';
import pg from 'pg';

// The baseline for reads and refused creates: Fastify with a schema, and one prepared query that reads a server by its
// primary key. Usage: node fastify-program.ts DATABASE_URL. It prints its port.

const [connectionString = ''] = process.argv.slice(2);
// Not the pool of Berth, so that changes of it do not change the baseline.
const pool = new pg.Pool({ connectionString, max: 16 });
pool.on('error', (error) => console.error(error));
const text = { type: 'string' };
const integer = { type: 'integer' };
const server = {
  type: 'object',
  properties: {
    ...{ id: integer, hostname: text, uuid: text, status: text, node: text, os: text },
    ...{ cpu: integer, ram: integer, disk: integer, created_at: text },
  },
};
const query = `select servers.id, servers.hostname, servers.uuid, servers.status, nodes.name as node,
    servers.os_id::text as os, servers.cpu, servers.ram_mb as ram, servers.disk_gb as disk,
    servers.created_at::text
  from servers join nodes on nodes.id = servers.node_id
  where servers.deleted_at is null`;
const app = Fastify();

app.get<{ Params: { id: string } }>(
  '/v1/servers/:id',
  { schema: { response: { 200: server } } },
  async ({ params }) => {
    const one = { name: 'one', text: `${query} and servers.id = $1`, values: [params.id] };
    const { rows } = await pool.query(one);
    return rows[0];
  },
);
app.get(
  '/v1/servers',
  { schema: { response: { 200: { type: 'array', items: server } } } },
  async () => {
    const { rows } = await pool.query({
      name: 'many',
      text: `${query} order by servers.id limit 100`,
    });
    return rows;
  },
);
const create = {
  type: 'object',
  properties: { location_id: integer, os_id: integer, name: text, cpu: integer },
  required: ['location_id', 'os_id', 'name'],
};
app.post<{ Body: { location_id: number } }>(
  '/v1/servers',
  { schema: { body: create, response: { 422: { type: 'object', properties: { error: text } } } } },
  async ({ body }, reply) => {
    const text = 'select name from locations where id = $1';
    const { rows } = await pool.query({ name: 'location', text, values: [body.location_id] });
    return await reply.code(422).send({ error: rows[0]?.name });
  },
);
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
