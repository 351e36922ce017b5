import { Anchor, Text } from '@mantine/core';
import { entityOfType } from '../../api/entities.ts';
import type { FailedFilter, FailedGroup } from './failed-queries.ts';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

interface FailedGroupsProps {
  readonly list: {
    readonly rows: readonly FailedGroup[] | undefined;
    readonly error: Error | null;
    readonly retry: () => void;
  };
  /** Narrows the page to a group. */
  readonly onShow: (filter: Pick<FailedFilter, 'webhook' | 'reason'>) => void;
}

/** What failed, by webhook and reason, the latest first. */
export function FailedGroups({ list, onShow }: FailedGroupsProps) {
  return (
    <RecordsTable
      label="Webhooks and reasons"
      minWidth={900}
      {...list}
      keyOf={({ webhookGUID, reason }) => `${webhookGUID} ${reason}`}
      empty={{ title: 'Nothing failed', description: 'Callouts that used up their attempts are shown here.' }}
      columns={[
        {
          title: 'Webhook',
          cell: ({ webhookName, entityType, webhookState }) => (
            <>
              <span className="break-anywhere">{webhookName}</span> ({entityOfType(entityType)?.label ?? entityType}){' '}
              {webhookState !== 'active' && <StateBadge state={webhookState === 'deleted' ? 'gone' : webhookState} />}
            </>
          ),
        },
        {
          title: 'Reason',
          cell: ({ webhookGUID, webhookName, reason, reasonText }) => (
            <Anchor
              component="button"
              type="button"
              ta="left"
              aria-label={`Show ${webhookName}: ${reasonText}`}
              onClick={() => onShow({ webhook: webhookGUID, reason })}
            >
              {reasonText}
            </Anchor>
          ),
        },
        { title: 'Callouts', isNumber: true, cell: ({ count }) => count.toLocaleString() },
        { title: 'First', cell: ({ firstDateTime }) => <Time value={firstDateTime} /> },
        { title: 'Last', cell: ({ lastDateTime }) => <Time value={lastDateTime} /> },
        {
          title: 'Example',
          cell: ({ example }) => <Text c="dimmed">{example}</Text>,
        },
      ]}
    />
  );
}
