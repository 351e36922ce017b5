import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { operate, type Credential, type IssuedCredential, type Tenant } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

/** What is to be done with a credential, once it is confirmed. */
export interface CredentialQuestion {
  readonly what: 'reissue' | 'revoke';
  readonly credential: Credential;
}

interface CredentialDialogProps {
  readonly tenant: Tenant;
  /** Null: closed. */
  readonly asked: CredentialQuestion | null;
  readonly onClose: () => void;
  readonly onIssued: (credential: IssuedCredential) => void;
  readonly onDone: () => void;
}

/** Asks before a secret stops working. */
export function CredentialDialog({ tenant, asked, onClose, onIssued, onDone }: CredentialDialogProps) {
  const change = useMutation({
    mutationFn: async ({ what, credential }: CredentialQuestion) => {
      const path = `/tenants/${tenant.id}/credentials/${credential.id}`;
      if (what === 'reissue') onIssued(await operate<IssuedCredential>('POST', `${path}/reissue`));
      else await operate('DELETE', path);
    },
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  const isRevoking = asked?.what === 'revoke';
  return (
    <Dialog
      title={isRevoking ? 'Revoke the credential' : 'New secret for the credential'}
      action={isRevoking ? 'Revoke' : 'Make a new secret'}
      isDangerous
      isOpen={asked !== null}
      onClose={onClose}
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => asked !== null && change.mutate(asked)}
    >
      <Text size="sm" className="break-anywhere">
        {isRevoking
          ? `From the next request on ${asked.credential.userName} is refused, and its sessions of the console end. It stays in the list, and a new secret restores it.`
          : `The present secret and integration code of ${asked?.credential.userName ?? ''} stop working at once: give the new ones to its owner without delay.`}
      </Text>
    </Dialog>
  );
}
