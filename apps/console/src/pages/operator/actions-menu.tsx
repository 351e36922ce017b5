import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActionsMenuProps {
  /** The name of the row. */
  readonly of: string;
  readonly children: ReactNode;
}

/** The actions for a row of a table. */
export function ActionsMenu({ of, children }: ActionsMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-sm" variant="default" aria-label={`Actions for ${of}`} className="no-print">
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
