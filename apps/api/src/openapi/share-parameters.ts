import { capital } from '../http/operation/names.ts';
import type { OpenApiDocument, Parameter, PathItem, Reference } from './document-types.ts';

const OFTEN = 5;

/** Makes a component of each common query parameter, and refers to the component. */
export function shareParameters(document: OpenApiDocument): OpenApiDocument {
  const uses = new Map<string, { readonly parameter: Parameter; count: number }>();
  for (const parameter of operationsIn(document.paths).flatMap((one) => one.parameters)) {
    if ('$ref' in parameter) continue;
    const text = JSON.stringify(parameter);
    const use = uses.get(text) ?? { parameter, count: 0 };
    use.count += 1;
    uses.set(text, use);
  }
  // Of two parameters with a name, the most frequent is shared.
  const often = [...uses.entries()].filter(([, { count }]) => count >= OFTEN).sort(([, a], [, b]) => b.count - a.count);
  const byName = new Map(
    often.map(([text, { parameter }]) => [parameter.name, { text, parameter }] as const).toReversed(),
  );
  const shared = new Map([...byName.values()].map(({ text, parameter }) => [text, parameter]));
  const refer = (parameter: Parameter | Reference): Parameter | Reference =>
    shared.has(JSON.stringify(parameter)) && 'name' in parameter
      ? { $ref: `#/components/parameters/${capital(parameter.name)}` }
      : parameter;
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, one]) => [method, { ...one, parameters: one.parameters.map(refer) }]),
      ),
    ]),
  );
  const added = Object.fromEntries([...shared.values()].map((one) => [capital(one.name), one]));
  const parameters = { ...document.components.parameters, ...added };
  return { ...document, paths, components: { ...document.components, parameters } };
}

const operationsIn = (paths: Readonly<Record<string, PathItem>>) =>
  Object.values(paths).flatMap((item) => Object.values(item));
