import { Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { operate, type Zone } from '../../../api/operator.ts';
import { zonesQuery } from '../operator-queries.ts';
import { inputsOf, useDraft } from '../../../parts/form/form.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

interface ZoneDialogProps {
  /** Null: a new one. */
  readonly zone: Zone | null;
  readonly onClose: () => void;
}

/** Makes or changes a zone. */
export function ZoneDialog({ zone, onClose }: ZoneDialogProps) {
  const [draft, set] = useDraft(zone ?? { name: '', url: '', webUrl: '', isDefault: false });
  const save = useMutation({
    mutationFn: () => {
      const { name, url, webUrl, isDefault } = draft;
      const body = { name: name.trim(), url: url.trim(), webUrl: webUrl.trim(), isDefault };
      return zone === null ? operate('POST', '/zones', body) : operate('PATCH', `/zones/${zone.id}`, body);
    },
    onSuccess: onClose,
    meta: { changes: zonesQuery.queryKey },
  });
  const input = inputsOf(draft, set, save.error);
  return (
    <Dialog
      title={zone === null ? 'New zone' : `Zone ${zone.name}`}
      action={zone === null ? 'Create the zone' : 'Save'}
      isOpen
      onClose={onClose}
      isDisabled={draft.name.trim() === ''}
      mutation={save}
    >
      <TextInput data-autofocus label="Name" required {...input.text('name')} />
      <TextInput
        label="Address of the API"
        description="Scheme, host and port, such as https://eu.callout.example; empty: wherever the caller is"
        {...input.text('url')}
      />
      <TextInput label="Address for people" description="Optional" {...input.text('webUrl')} />
      <Checkbox
        label="Default zone"
        description="For new tenants and unknown users, replacing the current default"
        disabled={zone?.isDefault === true}
        {...input.check('isDefault')}
      />
    </Dialog>
  );
}
