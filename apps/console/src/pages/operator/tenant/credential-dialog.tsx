import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Credential, type IssuedCredential, operate, type Tenant } from '../../../api/operator.ts';
import { tenantKey } from '../operator-queries.ts';
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
}

/** Asks before a secret stops working. */
export function CredentialDialog({ tenant, asked, onClose, onIssued }: CredentialDialogProps) {
  const change = useMutation({
    mutationFn: async () => {
      if (asked === null) return;
      const path = `/tenants/${tenant.id}/credentials/${asked.credential.id}`;
      if (asked.what === 'reissue') onIssued(await operate<IssuedCredential>('POST', `${path}/reissue`));
      else await operate('DELETE', path);
    },
    onSuccess: onClose,
    meta: { changes: tenantKey(tenant.id) },
  });
  const isRevoking = asked?.what === 'revoke';
  return (
    <Dialog
      title={isRevoking ? 'Revoke the credential' : 'New secret for the credential'}
      action={isRevoking ? 'Revoke' : 'Make a new secret'}
      isDangerous
      isOpen={asked !== null}
      onClose={onClose}
      mutation={change}
    >
      <Text className="break-anywhere">
        {isRevoking
          ? `From the next request on ${asked.credential.userName} is refused, and its sessions of the console end. It stays in the list, and a new secret restores it.`
          : `The present secret and integration code of ${asked?.credential.userName ?? ''} stop working at once: give the new ones to its owner without delay.`}
      </Text>
    </Dialog>
  );
}
