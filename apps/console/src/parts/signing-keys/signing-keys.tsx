import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { useMutation } from '@tanstack/react-query';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Copy } from '../show/code.tsx';
import { Fact } from '../show/fact.tsx';
import { Time } from '../show/time.tsx';
import { Dialog } from '../window/dialog.tsx';

export type SigningKey = Schemas['SigningKey'];

/** The body of a rotation. */
export interface Rotation {
  readonly kid: string;
  readonly overlapHours: number;
}

interface SigningKeysProps {
  /** The current one first. */
  readonly keys: readonly SigningKey[];
  /** Replaces the current key, or sets the end of the overlap again. */
  readonly rotate: (rotation: Rotation) => Promise<unknown>;
}

/** The public keys of a tenant, with their address, and a form that replaces the current one. */
export function SigningKeys({ keys, rotate }: SigningKeysProps) {
  const [current] = keys;
  if (current === undefined) {
    return <Text>There is none: it is made for the first webhook that is signed with a key pair.</Text>;
  }
  return (
    <Stack>
      <Fact label="Where receivers read the public keys">
        <Group gap="xs">
          <code>{current.signingKeysUrl}</code>
          <Copy value={current.signingKeysUrl} label="Copy the address" />
        </Group>
      </Fact>
      {keys.map((key) => (
        <Fact key={key.kid} label={key.state === 'current' ? 'Public key' : 'Public key before the rotation'}>
          <Group gap="xs">
            <code>{key.signingPublicKey}</code>
            <Copy value={key.signingPublicKey} label={key.state === 'current' ? 'Copy the key' : 'Copy the old key'} />
            {key.endDateTime !== null && (
              <Text>
                signs until <Time value={key.endDateTime} />
              </Text>
            )}
          </Group>
        </Fact>
      ))}
      <RotationForm kid={current.kid} rotate={rotate} />
    </Stack>
  );
}

function RotationForm({ kid, rotate }: Pick<SigningKeysProps, 'rotate'> & { readonly kid: string }) {
  const [overlapHours, setOverlapHours] = useState<number | string>(24);
  const [isOpen, { open: openDialog, close }] = useDisclosure();
  const hours = Number(overlapHours);
  const rotation = useMutation({ mutationFn: () => rotate({ kid, overlapHours: hours }), onSuccess: close });
  return (
    <>
      <Button variant="default" mr="auto" onClick={openDialog}>
        Replace the key pair
      </Button>
      <Dialog
        title="Replace the key pair?"
        isOpen={isOpen}
        onClose={close}
        action="Replace it"
        refusal="Keep it"
        isDangerous
        mutation={rotation}
      >
        <NumberInput
          label="Hours with both keys"
          description="0 to 168; with 0 the old key signs no more at once"
          min={0}
          max={168}
          value={overlapHours}
          onChange={setOverlapHours}
        />
        <Text>
          A new key pair signs the callouts of all webhooks of the tenant that are signed with one.{' '}
          {hours > 0
            ? `For ${hours === 1 ? '1 hour' : `${hours} hours`} the old one signs as well: receivers must read the new public key within that time.`
            : 'The old one signs no more at once: a receiver that has only its public key refuses every callout until it reads the new one.'}
        </Text>
      </Dialog>
    </>
  );
}
