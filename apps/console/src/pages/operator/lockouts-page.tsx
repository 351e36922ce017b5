import { LockoutsTable } from './lockouts-table.tsx';
import { Page } from '../../parts/page.tsx';

/** Who is locked out of the API and of the console after too many failed sign-ins. */
export default function LockoutsPage() {
  return (
    <Page title="Lockouts" lead="User names that are refused for a while after too many failed sign-ins.">
      <LockoutsTable />
    </Page>
  );
}
