import { useQuery } from '@tanstack/react-query';
import type { Entity } from '../../api/entities.ts';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { settingNames } from '../settings-form/form-settings.ts';
import { ResourceName } from '../show/resource-name.tsx';
import { VersionsMet } from '../versions/versions-met.tsx';
import { fieldChoicesQuery } from '../webhook-form/field-choices-query.ts';
import { receiverSummary } from '../webhook-form/summaries.ts';
import type { Meeting, PartValue } from './meetings.ts';

interface MeetingsProps {
  readonly entity: Entity;
  readonly meetings: readonly Meeting[];
  /** Drops the edit of one part; absent: there is no edit. */
  readonly takeTheirs?: (part: Meeting['part']) => void;
}

/** What others have changed of a webhook since a person has read it, beside what is about to be saved. */
export function MeetingsOfWebhook({ entity, meetings, takeTheirs }: MeetingsProps) {
  return (
    <VersionsMet
      what="webhook"
      isEdited={takeTheirs !== undefined}
      rows={meetings.map((meeting) => ({
        ...shownValues(meeting),
        name: JSON.stringify(meeting.part),
        label: <PartName entity={entity} part={meeting.part} />,
        takeTheirs: () => takeTheirs?.(meeting.part),
      }))}
    />
  );
}

function PartName({ entity, part }: { readonly entity: Entity; readonly part: Meeting['part'] }) {
  const choices = useQuery({ ...fieldChoicesQuery(entity), enabled: part.kind === 'field' });
  if (part.kind === 'setting') return settingNames.get(part.key) ?? part.key;
  if (part.kind === 'receiver') return 'Authentication and headers';
  if (part.kind === 'field') return `Field ${choices.data?.find(({ key }) => key === part.key)?.label ?? part.key}`;
  return (
    <>
      Exclusion of <ResourceName id={part.resourceID} />
    </>
  );
}

/** The draft of a receiver is shown by its summary, without secrets. */
function shownValues({ part, was, theirs, mine }: Meeting): Pick<Meeting, 'was' | 'theirs' | 'mine'> {
  const shown = (value: PartValue) =>
    part.kind === 'receiver' ? receiverSummary(JSON.parse(String(value)) as ReceiverDraft).summary : value;
  return { was: shown(was), theirs: shown(theirs), ...(mine !== undefined && { mine: shown(mine) }) };
}
