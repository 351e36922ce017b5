import { Button, Group, NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';

interface AddByIdProps {
  readonly add: (id: number) => void;
  readonly error: string | undefined;
}

/** Where resources cannot be searched. */
export default function AddById({ add, error }: AddByIdProps) {
  const [id, setId] = useState<number | string>('');
  return (
    <Stack gap={4}>
      <Group align="flex-end">
        <NumberInput label="Id of a resource" min={1} hideControls value={id} onChange={setId} error={error} />
        <Button
          variant="default"
          disabled={typeof id !== 'number'}
          onClick={() => {
            add(Number(id));
            setId('');
          }}
        >
          Exclude
        </Button>
      </Group>
    </Stack>
  );
}
