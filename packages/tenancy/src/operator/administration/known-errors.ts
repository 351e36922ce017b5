import type { Problem } from '@callout/domain/problem';
import { Prisma } from '@callout/database/generated/client';

/** The constraints that a write may break, with their messages. */
interface Refusals {
  /** Another row has this name already. */
  readonly taken?: Problem;
  /** A row that the new row names is missing. */
  readonly unknown?: Problem;
}

/** Runs a write and turns a broken constraint into a Problem; everything else is thrown as it is. */
export async function refusing<T>({ taken: duplicate, unknown }: Refusals, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const code = error instanceof Prisma.PrismaClientKnownRequestError ? error.code : '';
    const problem = code === 'P2002' ? duplicate : code === 'P2003' ? unknown : undefined;
    throw problem ?? error;
  }
}
