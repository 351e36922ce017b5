import { Text } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { Note } from '../show/fact.tsx';
import { ResourceName } from '../show/resource-name.tsx';
import { Time } from '../show/time.tsx';
import { type pagesOf, RecordsTable } from '../table/records-table.tsx';

export type Change = Schemas['Change'];

export const changesOfPage = 100;

const causes: Readonly<Partial<Record<Change['cause'], string>>> = {
  ownerDeactivated: 'its owner was deactivated',
  ownerDeleted: 'its owner was deleted',
  repeatedFailure: 'its receiver failed time after time',
  gone: 'its receiver answered 410 (Gone)',
  notFetched: 'its callouts were not fetched',
  receiverDown: 'its receiver was down',
  receiverAnswered: 'its receiver answered again',
  resourceDeleted: 'the resource was deleted',
  definitionDeleted: 'the user-defined field was deleted',
  definitionRenamed: 'the user-defined field was renamed',
  rotationEnded: 'the overlap of the rotation is over',
};

const kinds: Readonly<Record<Change['changedBy']['kind'], string>> = {
  user: 'A user',
  portal: 'By a portal link',
  operator: 'An operator',
  service: 'Callout itself',
};

interface ChangesTableProps {
  readonly list: ReturnType<typeof pagesOf<Change>>;
  /** The names of resources, for operators; absent: the session may read them. */
  readonly names?: ReadonlyMap<number, string>;
}

/** Who changed what, when, and from what to what. */
export function ChangesTable({ list, names }: ChangesTableProps) {
  const allIds = list.rows?.map(({ changedBy }) => changedBy.resourceID);
  return (
    <RecordsTable
      label="Changes"
      {...list}
      keyOf={({ id }) => id}
      empty={{ title: 'Nothing was changed yet', description: 'Changes of configuration are listed here.' }}
      columns={[
        { title: 'When', cell: ({ changedAt }) => <Time value={changedAt} /> },
        {
          title: 'What',
          cell: ({ entity, entityID, webhookName, action }) => (
            <>
              {spaced(entity)} {entityID} {action}
              {webhookName !== null && <Note>{webhookName}</Note>}
            </>
          ),
        },
        { title: 'Fields', cell: ({ fields }) => <Fields fields={fields} /> },
        {
          title: 'By',
          cell: ({ changedBy: { kind, resourceID, userName } }) => (
            <>
              {resourceID === null && kinds[kind]}
              {resourceID !== null &&
                (names ? (
                  (names.get(resourceID) ?? `Resource ${resourceID}`)
                ) : (
                  <ResourceName id={resourceID} allIds={allIds} />
                ))}
              {userName !== null && <Note>{userName}</Note>}
              {resourceID !== null && kind === 'portal' && <Note>{kinds.portal}</Note>}
            </>
          ),
        },
        {
          title: 'Why',
          cell: ({ cause, detail }) => (
            <>
              {causes[cause]}
              {detail !== null && <Note>{detail}</Note>}
            </>
          ),
        },
      ]}
    />
  );
}

function Fields({ fields }: Pick<Change, 'fields'>) {
  return fields.map(({ field, from, to }) => (
    <Text key={field} size="sm" className="break-anywhere">
      {field}: {textOf(from)} → {textOf(to)}
    </Text>
  ));
}

/** `CompanyWebhookField` as `Company webhook field`. */
function spaced(entity: string): string {
  return entity.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}

function textOf(value: unknown): string {
  if (value === null) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
