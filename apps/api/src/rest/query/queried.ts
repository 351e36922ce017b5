import type { QueryableCollection } from '@callout/domain/query/collection';
import type { Query } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import type { SearchPage } from '@callout/history/search/page';
import type { Role } from '../../http/auth/caller.ts';
import type { PortalAccess } from '../../http/auth/portal-guard.ts';
import type { Call } from '../../http/route/endpoint.ts';

/** A row in reads, with all fields. */
export type Item = Readonly<Record<string, unknown>>;

/** The rows of a collection that a caller may see. */
export interface Rows {
  /**
   * The name is the path below `/v1.0` in canonical spelling, without the first slash: paging tokens are bound to the
   * path.
   */
  readonly collection: QueryableCollection;
  readonly page: (query: Query, position: Position | null) => Promise<SearchPage<Item>>;
  readonly count: (query: Query) => Promise<number>;
}

/** A searchable collection. */
export interface Queried {
  readonly roles: readonly Role[];
  readonly portal?: PortalAccess;
  /** Throws a 404 Problem for a missing subject of the path. */
  readonly rowsFor: (call: Call) => Rows | Promise<Rows>;
}
