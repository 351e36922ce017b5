import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

async function readCallout(calloutID: string) {
  const { data } = await api.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
  if (!data) throw new Error(`There is no callout ${calloutID}.`);
  return data.item;
}

export type CalloutDetails = Awaited<ReturnType<typeof readCallout>>;

/** A callout with its attempts; asked again while it is open. */
export function calloutQuery(calloutID: string) {
  return queryOptions({
    queryKey: ['callout', calloutID],
    queryFn: () => readCallout(calloutID),
    refetchInterval: ({ state }) => (state.data?.finishedDateTime === null ? 2_000 : false),
  });
}
