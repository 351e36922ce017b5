import { Badge, Button, Group, Menu, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperationName } from '@callout/domain/operations/operations';
import type { Credential, Tenant } from '../../../api/operator.ts';
import { ActionsMenu } from '../actions-menu.tsx';
import { OperationDialog } from '../operation/operation-dialog.tsx';
import { useOperation } from '../operation/use-operation.ts';
import { credentialsQuery, resourcesQuery } from '../operator-queries.ts';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';

/** What is to be done with a credential. */
interface CredentialQuestion {
  readonly name: OperationName;
  readonly credential: Credential;
}

/** What callers of the API prove themselves with, and the resource behind each caller. */
export default function CredentialsTab({ tenant }: { readonly tenant: Tenant }) {
  const [isMaking, setMaking] = useState(false);
  const [question, ask] = useState<CredentialQuestion | null>(null);
  const tenantId = tenant.id;
  const credentials = useInfiniteQuery(credentialsQuery(tenantId));
  const resources = useInfiniteQuery(resourcesQuery(tenantId)).data?.pages.flatMap(({ items }) => items);
  const setRole = useOperation('updateCredential');
  return (
    <Stack>
      <Group justify="flex-end" className="no-print">
        <Button size="sm" onClick={() => setMaking(true)}>
          New credential
        </Button>
      </Group>
      {isMaking && (
        <OperationDialog
          name="createCredential"
          preset={{ tenantId }}
          begin={{ role: 'integrator', ...(resources?.[0] && { resourceID: resources[0].id }) }}
          onClose={() => setMaking(false)}
        />
      )}
      {question !== null && (
        <OperationDialog
          key={question.name}
          name={question.name}
          preset={{ tenantId, credentialId: question.credential.id, userName: question.credential.userName }}
          called={question.credential.userName}
          onClose={() => ask(null)}
        />
      )}
      <RecordsTable
        label="Credentials"
        {...pagesOf(credentials)}
        keyOf={({ id }) => String(id)}
        empty={{
          title: 'No credentials yet',
          description: 'Without one, no program can call the API for this tenant. It needs a resource to act for.',
        }}
        columns={[
          { title: 'User name', cell: ({ userName }) => userName },
          { title: 'Role', cell: ({ role }) => role },
          {
            title: 'Resource',
            cell: ({ resourceID }) => resources?.find(({ id }) => id === resourceID)?.email ?? `Resource ${resourceID}`,
          },
          {
            title: 'State',
            cell: ({ revokeDateTime, isSecretImported }) => (
              <Group gap={6} wrap="nowrap">
                <StateBadge state={revokeDateTime === null ? 'active' : 'inactive'} />
                {isSecretImported && (
                  <Badge color="gray" variant="light" tt="none" c="var(--mantine-color-text)">
                    imported secret
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            title: '',
            isNumber: true,
            cell: (credential) => (
              <CredentialMenu
                credential={credential}
                onRole={(role) => setRole.mutate({ tenantId, credentialId: credential.id, role })}
                ask={ask}
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}

interface CredentialMenuProps {
  readonly credential: Credential;
  readonly onRole: (role: string) => void;
  readonly ask: (question: CredentialQuestion) => void;
}

function CredentialMenu({ credential, onRole, ask }: CredentialMenuProps) {
  const { userName, role, revokeDateTime } = credential;
  const isRevoked = revokeDateTime !== null;
  return (
    <ActionsMenu of={userName}>
      <Menu.Item
        disabled={isRevoked || role === 'source'}
        onClick={() => ask({ name: 'createSignInLink', credential })}
      >
        Make a sign-in link
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>Role</Menu.Label>
      {(['integrator', 'source', 'admin'] as const)
        .filter((other) => other !== role)
        .map((other) => (
          <Menu.Item key={other} onClick={() => onRole(other)}>
            Make it {other}
          </Menu.Item>
        ))}
      <Menu.Divider />
      <Menu.Item onClick={() => ask({ name: 'reissueCredential', credential })}>
        {isRevoked ? 'Restore it, with a new secret' : 'Rotate the secret'}
      </Menu.Item>
      <Menu.Item color="red" disabled={isRevoked} onClick={() => ask({ name: 'revokeCredential', credential })}>
        Revoke
      </Menu.Item>
    </ActionsMenu>
  );
}
