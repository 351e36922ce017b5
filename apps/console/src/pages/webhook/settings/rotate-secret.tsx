import { Button, NumberInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import { SecretInput } from '../../../parts/form/secret-input.tsx';
import { keepSecret } from '../../../parts/secret/new-secrets.ts';
import { useWebhookWrite } from '../../../parts/webhook-versions/use-webhook-write.tsx';
import { Dialog } from '../../../parts/window/dialog.tsx';

/** Gives the webhook another secret at once; for some hours callouts have a signature of each of the two secrets. */
export default function RotateSecret({ address }: { readonly address: WebhookAddress }) {
  const [isOpen, { open: openDialog, close }] = useDisclosure();
  const [secretKey, setSecretKey] = useState('');
  const [overlapHours, setOverlapHours] = useState<number | string>(24);
  const rotate = useWebhookWrite(
    address,
    async (header) => {
      const body = { secretKey, overlapHours: Number(overlapHours) };
      await api.POST(webhookPath(address, '/rotateSecret'), { params: { ...webhookParams(address), header }, body });
    },
    {
      onSuccess() {
        keepSecret({ webhook: `${address.entity.type}/${address.id}`, secretKey, cause: 'rotated', warnings: [] });
        setSecretKey('');
        close();
        window.scrollTo({ top: 0 });
      },
    },
  );
  return (
    <>
      <Button variant="default" mr="auto" onClick={openDialog}>
        Rotate the secret
      </Button>
      <Dialog
        title="Rotate the secret"
        isOpen={isOpen}
        onClose={close}
        action="Rotate it"
        refusal="Keep it"
        isDisabled={secretKey === ''}
        mutation={rotate}
      >
        {rotate.met}
        <SecretInput label="New secret" value={secretKey} set={setSecretKey} />
        <NumberInput
          label="Hours with both secrets"
          description="0 to 168. Put the new secret into the receiver within that time; with 0 the old one stops working at once"
          min={0}
          max={168}
          value={overlapHours}
          onChange={setOverlapHours}
        />
      </Dialog>
    </>
  );
}
