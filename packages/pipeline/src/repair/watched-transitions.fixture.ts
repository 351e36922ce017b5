import type { Client } from '@callout/database/connection/database';

/**
 * Records what every statement does to callouts. A transition may have two halves in one transaction: the row of work
 * is inserted or deleted, and the row of history is updated.
 */
const watch = `
  CREATE TABLE seen (transaction TEXT, id UUID, half TEXT, was TEXT, becomes TEXT);
  CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    CASE TG_TABLE_NAME || ' ' || TG_OP
      WHEN 'open_callouts INSERT' THEN
        INSERT INTO seen VALUES (pg_current_xact_id()::text, NEW.callout_id, 'work', NULL, NEW.state);
      WHEN 'open_callouts DELETE' THEN
        INSERT INTO seen VALUES (pg_current_xact_id()::text, OLD.callout_id, 'work', OLD.state, NULL);
      WHEN 'open_callouts UPDATE' THEN
        IF OLD.state <> NEW.state THEN
          INSERT INTO seen VALUES (pg_current_xact_id()::text, NEW.callout_id, 'whole', OLD.state, NEW.state);
        END IF;
      ELSE
        IF OLD.state <> NEW.state THEN
          INSERT INTO seen VALUES (pg_current_xact_id()::text, NEW.id, 'history', OLD.state, NEW.state);
        END IF;
    END CASE;
    RETURN NULL;
  END $$;
  CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON open_callouts FOR EACH ROW EXECUTE FUNCTION see();
  CREATE TRIGGER see AFTER UPDATE ON callouts FOR EACH ROW EXECUTE FUNCTION see();`;

/** Records every transition of a callout in this database from now on. */
export async function watchTransitions(client: Client): Promise<void> {
  await client.query(watch);
}

/** The recorded transitions, such as `failed → due`. */
export async function seenTransitions(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ transition: string }>(
    `SELECT DISTINCT was || ' → ' || becomes AS transition FROM seen WHERE half = 'whole'
     UNION
     SELECT DISTINCT
       coalesce(nullif(history.was, 'open'), work.was, 'newCallout') || ' → ' ||
       coalesce(nullif(history.becomes, 'open'), work.becomes, 'nothing')
     FROM (SELECT * FROM seen WHERE half = 'work') AS work
     FULL JOIN (SELECT * FROM seen WHERE half = 'history') AS history USING (transaction, id)`,
  );
  return rows.map(({ transition }) => transition);
}
