import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { Reading } from './loaded.tsx';

interface PageTabsProps<Props extends object> {
  /** Each is fetched when it is opened. The first is shown unless the address names another. */
  readonly tabs: readonly {
    readonly value: string;
    readonly label: string;
    readonly Tab: ComponentType<Props>;
  }[];
  /** Of the tab that is shown. */
  readonly props: Props;
}

/** The parts of a page, one at a time; the address says which. */
export function PageTabs<Props extends object>({ tabs, props }: PageTabsProps<Props>) {
  const { tab }: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown = tabs.find(({ value }) => value === tab) ?? tabs[0];
  return (
    <Tabs
      value={shown?.value ?? null}
      keepMounted={false}
      onChange={(value) => void navigate({ to: '.', search: { tab: value } })}
    >
      <Tabs.List mb="md" className="page-tabs no-print">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, label, Tab }) => (
        <Tabs.Panel key={value} value={value}>
          <Suspense fallback={<Reading label={`the tab ${label}`} />}>
            <Tab {...props} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
