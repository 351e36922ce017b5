import { Select, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';
import { dataTypes, type Definition, entityTypes } from './definitions-query.ts';
import { textOfValues, valuesOfText } from './list-values.ts';
import { inputsOf, useDraft } from '../../parts/form/form.ts';
import { Dialog } from '../../parts/window/dialog.tsx';

interface DefinitionFormProps {
  /** Undefined: a new one. */
  readonly stored: Definition | undefined;
  /** The entity of a new one. */
  readonly entityType: string | undefined;
  readonly onClose: () => void;
}

/** Makes a user-defined field, or changes one. Its entity and its type stay as they are made. */
export function DefinitionForm({ stored, entityType, onClose }: DefinitionFormProps) {
  const [draft, set] = useDraft({
    entityType: stored?.entityType ?? entityType ?? 'Account',
    name: stored?.name ?? '',
    label: stored?.label ?? '',
    dataType: stored?.dataType ?? 'string',
    listValues: textOfValues(stored?.listValues ?? []),
  });
  const isList = draft.dataType === 'list';
  const save = useMutation({
    mutationFn: async () => {
      const { name, label, dataType } = draft;
      const settings = {
        name,
        label: label === '' ? name : label,
        ...(isList && { listValues: valuesOfText(draft.listValues) }),
      };
      if (stored === undefined) {
        const body = { ...settings, entityType: draft.entityType, dataType };
        await api.POST('/v1.0/UserDefinedFieldDefinitions', { body: body as never });
      } else {
        const path = { id: Number(stored.id) };
        await api.PATCH('/v1.0/UserDefinedFieldDefinitions/{id}', { params: { path }, body: settings as never });
      }
    },
    onSuccess: onClose,
    meta: { changes: ['definitions'], done: `The field ${draft.name} is saved.` },
  });
  const input = inputsOf(draft, set, save.error);
  return (
    <Dialog
      title={stored === undefined ? 'New user-defined field' : `Change ${stored.name}`}
      action={stored === undefined ? 'Make the field' : 'Save'}
      isOpen
      onClose={onClose}
      mutation={save}
    >
      <Select
        label="Entity"
        data={entityTypes.map((type) => ({ value: type, label: entityOfType(type)?.label ?? type }))}
        allowDeselect={false}
        disabled={stored !== undefined}
        {...input.value('entityType')}
      />
      <TextInput label="Name" required data-autofocus maxLength={255} {...input.text('name')} />
      <TextInput
        label="Label"
        description="The key in callouts, exactly so; the name when it is left out"
        maxLength={255}
        {...input.text('label')}
      />
      <Select
        label="Type"
        data={[...dataTypes]}
        allowDeselect={false}
        disabled={stored !== undefined}
        {...(stored !== undefined && { description: 'It cannot be changed: make another field instead' })}
        {...input.value('dataType')}
      />
      {isList && (
        <Textarea
          label="Values"
          description="One per line: the whole number that records hold, then what people see, such as 1 Gold"
          required
          autosize
          minRows={3}
          maxRows={12}
          {...input.text('listValues')}
        />
      )}
    </Dialog>
  );
}
