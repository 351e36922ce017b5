import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ComponentType, lazy, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { reachesApi, suspectOutage, useOutage } from '../api/outage.ts';

interface Loaded<Props> {
  readonly default: ComponentType<Props>;
}

type Load<Props> = () => Promise<Loaded<Props>>;

/** A part of the console whose file could not be fetched. */
class PartMissing extends Error {}

/**
 * A component that is fetched when it is first drawn. Where `lazy` keeps a failure for good, this says what is wrong in
 * place of the part, and fetches it again when the API is back or the person asks for it. Draw it within `Suspense`.
 */
export function lazyPart<Props extends object>(load: Load<Props>) {
  let loaded: ComponentType<Props> | undefined;
  /** The address that failed, and how often. */
  let failed: { readonly url: string; readonly times: number } | undefined;
  const fetched = async () => {
    if (!(await reachesApi())) throw new PartMissing('The API does not answer');
    try {
      const part = await (failed === undefined ? load() : loadAgain<Props>(`${failed.url}?again=${failed.times}`));
      loaded = part.default;
      return part;
    } catch (cause) {
      const url = failed?.url ?? urlIn(cause);
      if (url !== undefined) failed = { url, times: (failed?.times ?? 0) + 1 };
      suspectOutage();
      throw new PartMissing('A part of the console could not be fetched', { cause });
    }
  };
  const another = (): ComponentType<Props> => loaded ?? (lazy(fetched) as ComponentType<Props>);
  let shared: ComponentType<Props> = another();
  function Part(props: Props) {
    const [Drawn, setDrawn] = useState(() => loaded ?? shared);
    function retry(): void {
      shared = another();
      setDrawn(() => shared);
    }
    return (
      <PartBoundary drawn={Drawn} retry={retry} forget={() => (shared = another())}>
        <Drawn {...props} />
      </PartBoundary>
    );
  }
  /** Fetches it before it is drawn, as a router does; a failure shows when it is drawn. */
  Part.preload = (): Promise<void> => fetched().then(ignore, ignore);
  return Part;
}

/** Browsers keep the failure of a module for as long as the page lives, but only for the same address. */
async function loadAgain<Props>(url: string): Promise<Loaded<Props>> {
  const part = (await import(/* @vite-ignore */ url)) as Partial<Loaded<Props>>;
  // A file that has several modules in it exports them under other names.
  if (part.default === undefined) throw new Error(`${url} has no default export`);
  return { default: part.default };
}

/** The file that Chromium and Firefox name in the failure of `import()`; Safari names none. */
function urlIn(error: unknown): string | undefined {
  const [url] = /https?:\/\/\S+\.js/u.exec(error instanceof Error ? error.message : '') ?? [];
  return url?.startsWith(globalThis.location.origin) === true ? url : undefined;
}

const ignore = () => undefined;

interface BoundaryProps extends MissingProps {
  /** What is drawn: when it is another, the boundary begins anew. */
  readonly drawn: object;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly drawn?: object;
  readonly error?: unknown;
}

/** React has no hook for this. What is not about a missing file goes on to the page's own boundary. */
class PartBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromProps({ drawn }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return drawn === state.drawn ? null : { drawn, error: undefined };
  }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (!(error instanceof PartMissing)) throw error;
    return <Missing retry={this.props.retry} forget={this.props.forget} />;
  }
}

interface MissingProps {
  readonly retry: () => void;
  /** Lets the next page that draws the part fetch it, since `lazy` would show it the old failure. */
  readonly forget: () => void;
}

function Missing({ retry, forget }: MissingProps) {
  const isAway = useOutage();
  const [wasAway, setWasAway] = useState(isAway);
  if (isAway && !wasAway) setWasAway(true);
  const isBack = wasAway && !isAway;
  const again = useEffectEvent(retry);
  useEffect(() => {
    if (isBack) again();
  }, [isBack]);
  const leave = useEffectEvent(forget);
  useEffect(() => () => leave(), []);
  return (
    <Alert color="yellow" title="A part of the console could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text>
          {isAway
            ? 'The API does not answer. This part is loaded as soon as the API is back.'
            : 'If Callout was updated a moment ago, load the page again.'}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
          {/* Without the API, the browser would show a page of its own. */}
          {!isAway && (
            <Button size="xs" variant="default" onClick={() => globalThis.location.reload()}>
              Load the page again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
