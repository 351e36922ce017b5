import { Badge, Button, Group, Menu, Stack } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Credential,
  type IssuedCredential,
  operate,
  type SignInLink,
  type Tenant,
} from '../../../api/operator.ts';
import { ActionsMenu } from '../actions-menu.tsx';
import { credentialsQuery, resourcesQuery, tenantKey } from '../operator-queries.ts';
import { CredentialDialog, type CredentialQuestion } from './credential-dialog.tsx';
import { IssuedDialog } from './issued-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { NewCredential } from './new-credential.tsx';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';

/** What callers of the API prove themselves with, and whom they act for. */
export default function CredentialsTab({ tenant }: { readonly tenant: Tenant }) {
  const [isMaking, setMaking] = useState(false);
  const [issued, setIssued] = useState<IssuedCredential | null>(null);
  const [asked, ask] = useState<CredentialQuestion | null>(null);
  const [link, setLink] = useState<SignInLink | null>(null);
  const credentials = useInfiniteQuery(credentialsQuery(tenant.id));
  const resources = useInfiniteQuery(resourcesQuery(tenant.id)).data?.pages.flatMap(({ items }) => items);
  const signInLink = useMutation({
    mutationFn: (userName: string) => operate<SignInLink>('POST', `/tenants/${tenant.id}/signInLinks`, { userName }),
    onSuccess: setLink,
    meta: { notifiesRefusal: true },
  });
  const setRole = useMutation({
    mutationFn: ({ id, role }: { id: number; role: string }) =>
      operate('PATCH', `/tenants/${tenant.id}/credentials/${id}`, { role }),
    meta: { changes: tenantKey(tenant.id), notifiesRefusal: true },
  });
  return (
    <Stack>
      <Group justify="flex-end" className="no-print">
        <Button size="sm" onClick={() => setMaking(true)}>
          New credential
        </Button>
      </Group>
      <NewCredential tenant={tenant} isOpen={isMaking} onClose={() => setMaking(false)} onIssued={setIssued} />
      <CredentialDialog tenant={tenant} asked={asked} onClose={() => ask(null)} onIssued={setIssued} />
      <IssuedDialog credential={issued} onClose={() => setIssued(null)} />
      <LinkDialog title="Sign-in link" link={link} onClose={() => setLink(null)} />
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
                onSignInLink={() => signInLink.mutate(credential.userName)}
                onRole={(role) => setRole.mutate({ id: credential.id, role })}
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
  readonly onSignInLink: () => void;
  readonly onRole: (role: string) => void;
  readonly ask: (question: CredentialQuestion) => void;
}

function CredentialMenu({ credential, onSignInLink, onRole, ask }: CredentialMenuProps) {
  const { userName, role, revokeDateTime } = credential;
  const isRevoked = revokeDateTime !== null;
  return (
    <ActionsMenu of={userName}>
      <Menu.Item disabled={isRevoked || role === 'source'} onClick={onSignInLink}>
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
      <Menu.Item onClick={() => ask({ what: 'reissue', credential })}>
        {isRevoked ? 'Restore it, with a new secret' : 'Rotate the secret'}
      </Menu.Item>
      <Menu.Item color="red" disabled={isRevoked} onClick={() => ask({ what: 'revoke', credential })}>
        Revoke
      </Menu.Item>
    </ActionsMenu>
  );
}
