import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type Mail, operatorPages } from '../../api/operator.ts';
import { useSearchFilter, wordIn } from '../../parts/filter/search-filter.ts';
import { Page } from '../../parts/page.tsx';
import { useOperation } from './operation/use-operation.ts';
import { TenantLink } from './tenant/tenant-link.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import { pagesOf, RecordsTable } from '../../parts/table/records-table.tsx';

const kinds: Readonly<Record<string, string>> = {
  error: 'a callout failed',
  deactivated: 'a webhook was deactivated',
  thresholdExceeded: 'a threshold was reached',
  caughtUp: 'what was held is out',
  failing: 'a webhook is failing',
  recovered: 'a webhook has recovered',
  confirmation: 'asks to confirm the address',
  alert: 'something is wrong with the installation',
  alertOver: 'an alert is over',
};

/** Unsent mail: why, and a way to try again. */
export default function MailPage() {
  const [{ state: chosen }, set] = useSearchFilter(({ state }) => ({ state: wordIn(['notSent'], state) }));
  const state = chosen === undefined ? 'waiting' : 'refused,failed';
  const mails = useInfiniteQuery({
    ...operatorPages<Mail>(['mails', state], 'listMails', { state, limit: 50 }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const retry = useOperation('retryMail');
  return (
    <Page title="Mail" lead="Mail that is not out, and why.">
      <Group className="no-print">
        <SegmentedControl
          size="xs"
          aria-label="Which mail"
          value={chosen ?? 'waiting'}
          onChange={(value) => set({ state: value === 'notSent' ? value : null })}
          data={[
            { value: 'waiting', label: 'Waiting' },
            { value: 'notSent', label: 'Refused or failed' },
          ]}
        />
      </Group>
      <RecordsTable
        label="Mail"
        {...pagesOf(mails)}
        keyOf={({ id }) => id}
        empty={
          chosen === 'notSent'
            ? { title: 'No mail was refused or has failed', description: 'Those of the time that callouts are kept.' }
            : { title: 'No mail waits', description: 'All mail is out.' }
        }
        columns={[
          { title: 'To', cell: ({ recipient }) => recipient },
          { title: 'What it says', cell: ({ kind, notifications: count }) => whatItSays(kind, count) },
          {
            title: 'Tenant',
            cell: ({ tenantID, tenantName }) =>
              tenantID === null ? 'the installation' : <TenantLink id={tenantID} name={tenantName} />,
          },
          {
            title: 'State',
            cell: ({ state: one }) => <StateBadge state={one} />,
          },
          { title: 'Why', cell: (mail) => <Why mail={mail} /> },
          { title: 'Since', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
          {
            title: '',
            isNumber: true,
            cell: ({ id, recipient, isGathered }) =>
              isGathered && (
                <Button
                  size="compact-sm"
                  variant="default"
                  className="no-print"
                  aria-label={`Send now: the mail to ${recipient}`}
                  onClick={() => retry.mutate({ mailId: id })}
                >
                  Send now
                </Button>
              ),
          },
        ]}
      />
    </Page>
  );
}

function whatItSays(kind: string, count: number): string {
  const named = kinds[kind] ?? kind;
  return count > 1 ? `${named}, ${count.toLocaleString()} times` : named;
}

function Why({ mail }: { readonly mail: Mail }) {
  const { isGathered, attempts, lastError, nextAttemptDateTime } = mail;
  if (!isGathered) {
    return 'It waits for others of its kind, for a limit of mails in an hour, or until its address is confirmed.';
  }
  return (
    <Text className="break-anywhere">
      {lastError ?? (attempts === 0 ? 'It was not tried yet.' : '')}
      {nextAttemptDateTime !== null && (
        <>
          {' '}
          Next attempt <Time value={nextAttemptDateTime} />.
        </>
      )}
    </Text>
  );
}
