/** The part of a JSON schema that determines an example. */
interface Shape {
  examples?: unknown[];
  enum?: unknown[];
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** The first example of a schema. For an object, it has the examples of the required fields, or of the first field. */
export function exampleOf(shape: Shape): unknown {
  const [example] = shape.examples ?? shape.enum ?? [];
  if (example !== undefined) return example;
  if (shape.items) return [exampleOf(shape.items)];
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = shape;
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
}
