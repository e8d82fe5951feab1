/** The part of a JSON schema from which an example is made. */
interface Shape {
  examples?: unknown[];
  enum?: unknown[];
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** The first example of a schema; of an object, those of the fields that it needs, or of its first one. */
export function exampleOf(shape: Shape): unknown {
  const [example] = shape.examples ?? shape.enum ?? [];
  if (example !== undefined) return example;
  if (shape.items) return [exampleOf(shape.items)];
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = shape;
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
}
