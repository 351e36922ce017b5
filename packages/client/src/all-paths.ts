import type { components, paths } from './generated/api.ts';

/** The entities that have webhooks, as paths name them: `Company`, `Ticket`, … */
export type EntityName = components['parameters']['entityName'];

/**
 * The paths of the API. The webhooks of all entities are described once, under `/v1.0/{entityName}Webhooks`; here each
 * entity also has a path of its own, such as `/v1.0/CompanyWebhooks/{id}`, without the parameter `entityName`.
 */
export type AllPaths = paths & PathsOfEntities;

type PathsOfEntities = {
  [
    Path in keyof paths as Path extends `/v1.0/{entityName}Webhook${infer Rest}`
      ? `/v1.0/${EntityName}Webhook${Rest}`
      : never
  ]: { [Method in keyof paths[Path]]: WithoutEntityName<paths[Path][Method]> };
};

type WithoutEntityName<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Operation, 'parameters'> & { parameters: PathParameters<Parameters> }
  : Operation;

type PathParameters<Parameters> = Parameters extends { path: infer Path }
  ? keyof Omit<Path, 'entityName'> extends never
    ? Omit<Parameters, 'path'> & { path?: never }
    : Omit<Parameters, 'path'> & { path: Omit<Path, 'entityName'> }
  : Parameters;
