import { Alert, Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Key } from '../../api/operator.ts';
import { Reencryption } from './reencryption.tsx';
import { keysQuery, statusQuery } from './operator-queries.ts';
import { Page, Section } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

const states = {
  encrypts: { badge: 'active', words: 'encrypts new secrets' },
  decrypts: { badge: 'waiting', words: 'decrypts only: re-encrypt, and it can leave' },
  notNeeded: { badge: 'inactive', words: 'not needed any more: take it out of SECRET_KEYS' },
  missing: { badge: 'failing', words: 'missing in SECRET_KEYS: these secrets cannot be read' },
} as const satisfies Record<Key['state'], object>;

/** The keys for encrypting webhook secrets, and what each key is still needed for. */
export default function KeysPage() {
  const keys = useQuery(keysQuery);
  const status = useQuery(statusQuery);
  const processes = status.data?.processes.filter(({ isGone }) => !isGone) ?? [];
  const rings = new Set(processes.map(({ keyIDs }) => keyIDs.join(', ')));
  return (
    <Page
      title="Keys"
      lead="The keys that webhook secrets are encrypted with, and what each of them is still needed for."
    >
      {rings.size > 1 && (
        <Alert color="yellow" title="Processes have different keys">
          <Text>Before you re-encrypt, restart those that do not have the same SECRET_KEYS:</Text>
          <List size="sm">
            {processes.map(({ id, service, host, pid, keyIDs }) => (
              <List.Item key={id}>
                {service} {pid} on {host}: {keyIDs.join(', ')}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <RecordsTable
        label="Keys"
        {...rowsOf(keys)}
        keyOf={({ keyID }) => keyID}
        empty={{ title: 'No keys', description: 'SECRET_KEYS has at least one.' }}
        columns={[
          { title: 'Key', cell: ({ keyID }) => <Code>{keyID}</Code> },
          { title: 'Secrets', isNumber: true, cell: ({ secrets }) => secrets.toLocaleString() },
          { title: 'State', cell: ({ state }) => <StateBadge state={states[state].badge} /> },
          { title: 'What that means', cell: ({ state }) => states[state].words },
        ]}
      />
      {keys.data !== undefined && <Reencryption keys={keys.data} hasOneRing={rings.size <= 1} />}
      <Section title="To retire a key">
        <List size="sm" type="ordered">
          <List.Item>
            Add the new key at the end of <Code>SECRET_KEYS</Code> of every process, and restart them: now all can read
            it.
          </List.Item>
          <List.Item>Move it to the front, and restart them: now all encrypt with it.</List.Item>
          <List.Item>
            Re-encrypt, here or with <Code>callout admin keys reencrypt</Code>.
          </List.Item>
          <List.Item>When the old key no longer protects anything, remove it and restart them.</List.Item>
        </List>
      </Section>
    </Page>
  );
}
