import { Table } from '@mantine/core';

/** Headers of a request or an answer. */
export function HeadersTable({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <Table withRowBorders={false} verticalSpacing={2} aria-label="Headers">
      <Table.Tbody>
        {Object.entries(headers).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={200} fw={500}>
              {name}
            </Table.Th>
            <Table.Td className="break-anywhere">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
