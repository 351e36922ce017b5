import { accessOperations } from './access-operations.ts';
import { installationOperations } from './installation-operations.ts';
import type { Operation } from './operation.ts';
import { tenantOperations } from './tenant-operations.ts';

const all = { ...tenantOperations, ...accessOperations, ...installationOperations };

/** The name of an operation: the method of a generated client. */
export type OperationName = keyof typeof all;

/** Every operation of operators. A new operation is an entry here, a schema of the answer and a handler in the API. */
export const operations: Readonly<Record<OperationName, Operation>> = all;

/** The names of all operations, in the order of documents. */
export const operationNames = Object.keys(all) as OperationName[];
