import { Problem } from '@callout/domain/problem';
import { parseZoneChanges, parseZoneCreate, type ZoneSettings } from '../../input/zone-input.rules.ts';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { refusing } from './known-errors.ts';
import type { Page } from './tenant-administration.ts';

const select = { id: true, name: true, url: true, webUrl: true, isDefault: true } as const;

/** Zones, as operators see them. Throws Problems: `invalid`, `notFound`, and `conflict` for a name that is used. */
export function createZoneAdministration({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>) {
  async function read(id: number) {
    const zone = await prisma.zone.findUnique({ where: { id }, select });
    if (zone !== null) return zone;
    throw Problem.notFound(`No matching records found: there is no zone ${id}`);
  }

  /** At most one zone is the default: the former default changes in the same transaction. */
  const write = <T>(
    settings: Partial<ZoneSettings>,
    store: (zones: SharedTransaction['models']['zone']) => Promise<T>,
  ): Promise<T> =>
    refusing({ taken: Problem.duplicate(`name ${settings.name ?? ''} is the name of another zone`, 'name') }, () =>
      transaction(null, async ({ models }) => {
        if (settings.isDefault === true) {
          // Two requests that make different zones the default at once take turns; readers are not blocked.
          await models.$executeRaw`LOCK TABLE zones IN SHARE ROW EXCLUSIVE MODE`;
          await models.zone.updateMany({ where: { isDefault: true }, data: { isDefault: false } });
        }
        return store(models.zone);
      }),
    );

  return {
    list: ({ after, limit }: Page) =>
      prisma.zone.findMany({ where: { id: { gt: after } }, select, orderBy: { id: 'asc' }, take: limit }),
    read,
    /** Makes a zone of a body with name and url, and webUrl and isDefault if wanted. */
    create(body: unknown) {
      const settings = parseZoneCreate(body);
      return write(settings, (zones) => zones.create({ data: settings, select }));
    },
    /** Changes the keys of the body. A zone becomes the default when another one was. */
    async update(id: number, body: unknown) {
      const changes = parseZoneChanges(body);
      const zone = await read(id);
      if (zone.isDefault && changes.isDefault === false) {
        throw Problem.conflict('isDefault must stay true: make another zone the default instead', 'isDefault');
      }
      return write(changes, (zones) => zones.update({ where: { id }, data: changes, select }));
    },
  };
}
