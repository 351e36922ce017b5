import { Badge, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Zone } from '../../../api/operator.ts';
import { zonesQuery } from '../operator-queries.ts';
import { OperationDialog } from '../operation/operation-dialog.tsx';
import { Page } from '../../../parts/page.tsx';
import { RecordsTable, rowsOf } from '../../../parts/table/records-table.tsx';

/** Host names under which tenants reach the API. */
export default function ZonesPage() {
  const zones = useQuery(zonesQuery);
  const [edited, edit] = useState<Zone | 'new' | null>(null);
  return (
    <Page
      title="Zones"
      lead="Host names under which tenants reach the API. New tenants and unknown users get the default zone."
      actions={<Button onClick={() => edit('new')}>New zone</Button>}
    >
      {edited !== null && (
        <OperationDialog
          key={edited === 'new' ? 0 : edited.id}
          name={edited === 'new' ? 'createZone' : 'updateZone'}
          {...(edited !== 'new' && { preset: { zoneId: edited.id }, begin: settingsOf(edited) })}
          onClose={() => edit(null)}
        />
      )}
      <RecordsTable
        label="Zones"
        {...rowsOf(zones)}
        keyOf={({ id }) => String(id)}
        empty={{
          title: 'No zones yet',
          description:
            'Creating the first tenant creates one without an address: callers stay at the address they already use.',
        }}
        columns={[
          {
            title: 'Name',
            cell: ({ name, isDefault }) => (
              <>
                {name}{' '}
                {isDefault && (
                  <Badge variant="light" tt="none" c="var(--mantine-color-text)">
                    default
                  </Badge>
                )}
              </>
            ),
          },
          { title: 'API', cell: ({ url }) => (url === '' ? 'wherever the caller is' : url) },
          { title: 'For people', cell: ({ webUrl }) => webUrl },
          {
            title: '',
            isNumber: true,
            cell: (zone) => (
              <Button
                size="compact-sm"
                variant="default"
                className="no-print"
                aria-label={`Edit ${zone.name}`}
                onClick={() => edit(zone)}
              >
                Edit
              </Button>
            ),
          },
        ]}
      />
    </Page>
  );
}

const settingsOf = ({ name, url, webUrl, isDefault }: Zone) => ({
  name,
  url,
  webUrl,
  ...(!isDefault && { isDefault }),
});
