import { List, Text } from '@mantine/core';
import type { ProcessItem } from '../../api/operator.ts';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';

/** All processes with a report within the last day. */
export function Processes({ processes }: { readonly processes: readonly ProcessItem[] }) {
  return (
    <RecordsTable
      label="Processes"
      rows={processes}
      keyOf={({ id }) => id}
      empty={{ title: 'No process has reported yet', description: 'Each does within some seconds of its start.' }}
      columns={[
        { title: 'Process', cell: ({ service, pid }) => `${service === 'api' ? 'API' : 'worker'} ${pid}` },
        { title: 'Host', cell: ({ host }) => host },
        {
          title: 'State',
          cell: ({ isReady, isGone }) => <StateBadge state={isGone ? 'gone' : isReady ? 'ready' : 'notReady'} />,
        },
        { title: 'Roles', cell: ({ service, roles }) => (service === 'api' ? 'REST API' : roles.join(', ')) },
        { title: 'Version', cell: ({ version }) => version },
        { title: 'Started', cell: ({ startDateTime }) => <Time value={startDateTime} /> },
        { title: 'Says', cell: (process) => <Says process={process} /> },
      ]}
    />
  );
}

/** The states of a process besides ready. */
function Says({ process }: { readonly process: ProcessItem }) {
  const { checks, notices, isGone, seenDateTime } = process;
  if (isGone) {
    return (
      <Text>
        last heard of <Time value={seenDateTime} />
      </Text>
    );
  }
  const failed = Object.entries(checks).filter(([, result]) => result !== 'ok');
  const lines = [...failed.map(([name, result]) => `${name} ${result}`), ...notices];
  if (lines.length === 0) return null;
  return (
    <List size="sm" listStyleType="none">
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}
