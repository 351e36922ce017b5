import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type Zone } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';
import { errorsAt } from '../../../parts/form/field-errors.ts';

interface ZoneDialogProps {
  /** Null: a new one. */
  readonly zone: Zone | null;
  readonly onClose: () => void;
}

/** Makes or changes a zone. */
export function ZoneDialog({ zone, onClose }: ZoneDialogProps) {
  const queryClient = useQueryClient();
  const [settings, setSettings] = useState(zone ?? { name: '', url: '', webUrl: '', isDefault: false });
  const save = useMutation({
    mutationFn: () => {
      const { name, url, webUrl, isDefault } = settings;
      const body = { name: name.trim(), url: url.trim(), webUrl: webUrl.trim(), isDefault };
      return zone === null ? operate('POST', '/zones', body) : operate('PATCH', `/zones/${zone.id}`, body);
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['operator', 'zones'] });
      onClose();
    },
  });
  const textInput = (name: 'name' | 'url' | 'webUrl') => ({
    value: settings[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setSettings((before) => ({ ...before, [name]: value }));
    },
    error: errorsAt(save.error, name),
  });
  return (
    <Dialog
      title={zone === null ? 'New zone' : `Zone ${zone.name}`}
      action={zone === null ? 'Create the zone' : 'Save'}
      isOpen
      onClose={onClose}
      isPending={save.isPending}
      isDisabled={settings.name.trim() === ''}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <TextInput data-autofocus label="Name" required {...textInput('name')} />
      <TextInput
        label="Address of the API"
        description="Scheme, host and port, such as https://eu.callout.example; empty: wherever the caller is"
        {...textInput('url')}
      />
      <TextInput label="Address for people" description="Optional" {...textInput('webUrl')} />
      <Checkbox
        label="Default zone"
        description="For new tenants and unknown users, replacing the current default"
        checked={settings.isDefault}
        disabled={zone?.isDefault === true}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          setSettings((before) => ({ ...before, isDefault: checked }));
        }}
      />
    </Dialog>
  );
}
