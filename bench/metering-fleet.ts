/** Servers by number, so that the engine of the benchmark and its database have the same ones. */
export const uuidOf = (server: number) =>
  `00000000-0000-4000-8000-${server.toString(16).padStart(12, '0')}`;

export const nodeName = (node: number) => `node-${node}`;
