import { useQuery } from '@tanstack/react-query';
import { resourcesByIdQuery } from '../webhook-form/resources-query.ts';

interface ResourceNameProps {
  readonly id: number;
  /** The ids of all rows of a table, so that their names are read by one request. */
  readonly allIds?: readonly (number | null | undefined)[] | undefined;
}

/** The name and address of a resource; its id while they are read, and when it was deleted or the caller may not see it. */
export function ResourceName({ id, allIds }: ResourceNameProps) {
  const ids = new Set((allIds ?? [id]).filter((one) => one != null));
  const resources = useQuery(resourcesByIdQuery([...ids].toSorted((a, b) => a - b))).data ?? [];
  return <span className="resource-name">{resources.find((one) => one.id === id)?.label ?? `Resource ${id}`}</span>;
}
