import { useQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { changesQuery } from './webhook-queries.ts';
import { ResourceName } from '../../parts/show/resource-name.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

const causes: Readonly<Record<string, string>> = {
  user: 'by a user',
  ownerDeactivated: 'its owner was deactivated',
  ownerDeleted: 'its owner was deleted',
  repeatedFailure: 'its receiver failed time after time',
  gone: 'its receiver answered 410 (Gone)',
  receiverDown: 'its receiver was down',
  receiverAnswered: 'its receiver answered again',
};

const changeNames: Readonly<Record<string, string>> = {
  notReady: 'not ready',
  secretRotated: 'secret replaced',
  signingKeyRotated: 'signing key replaced',
};

/** When the webhook became active, inactive, paused and ready, when its keys were replaced, and why. */
export default function HistoryTab({ address }: { readonly address: WebhookAddress }) {
  const changes = useQuery(changesQuery(address));
  return (
    <RecordsTable
      label="Changes"
      {...rowsOf(changes)}
      keyOf={({ id }) => id}
      empty={{ title: 'Nothing has happened yet', description: 'Changes to this webhook are listed here.' }}
      columns={[
        { title: 'When', cell: ({ changeDateTime }) => <Time value={changeDateTime} /> },
        {
          title: 'Change',
          cell: ({ change }) => <span className="one-line">{changeNames[change] ?? change}</span>,
        },
        { title: 'Why', cell: ({ cause }) => causes[cause] ?? cause },
        {
          title: 'By',
          cell: ({ resourceID }) =>
            resourceID !== null && (
              <ResourceName id={resourceID} allIds={changes.data?.map((change) => change.resourceID)} />
            ),
        },
        { title: 'Detail', cell: ({ detail }) => detail ?? '' },
      ]}
    />
  );
}
