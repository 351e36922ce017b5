-- What queries search: a copy of each record's values, folded by the application, because lower() depends on the locale
-- of the database. {"7/Account": {"companyName": "acme", "udf:3": "gold"}}: empty fields are left out, and tenant and
-- entity are part of every path.

-- AlterTable
ALTER TABLE "records" ADD COLUMN     "folded" JSONB NOT NULL DEFAULT '{}';

-- Rows from before: lower() is as near as SQL comes to the application's folding, and a record's next change folds it anew.
UPDATE "records" r SET "folded" = jsonb_build_object(r."tenant_id" || '/' || r."entity_type", v."folded")
FROM (
  SELECT o."tenant_id", o."entity_type", o."id", jsonb_object_agg(o."key", lower(o."value")) AS "folded"
  FROM (
    SELECT r."tenant_id", r."entity_type", r."id", f."key", f."value"
    FROM "records" r, json_each_text(r."fields") f WHERE r."deleted_at" IS NULL
    UNION ALL
    SELECT r."tenant_id", r."entity_type", r."id", 'udf:' || u."key", u."value"
    FROM "records" r, json_each_text(r."udf_fields") u WHERE r."deleted_at" IS NULL
  ) o
  WHERE o."value" IS NOT NULL
  GROUP BY 1, 2, 3
) v
WHERE (r."tenant_id", r."entity_type", r."id") = (v."tenant_id", v."entity_type", v."id");

-- One index answers eq and in on every field and user-defined field of every entity of every tenant: an entry is the hash
-- of a whole path with its value, so it takes no more room for a long text, and what a tenant's query costs does not
-- depend on what others have stored.
-- A change of a record adds an entry for each of its values. They go to the pending list first, from where many are sorted
-- in at once; without it a change costs more than twice as much. But every lookup reads the whole list, and whoever fills
-- it up sorts it in: at 256 kB the one stays below a millisecond and the other is spread evenly over the commits.
CREATE INDEX "records_folded" ON "records" USING gin ("folded" jsonb_path_ops) WITH (gin_pending_list_limit = 256);

-- Statistics of whole documents help no plan. Without them a lookup is planned alike before and after every ANALYZE, and
-- ANALYZE is spared sorting the documents.
ALTER TABLE "records" ALTER COLUMN "folded" SET STATISTICS 0;

-- Since an indexed value changes with every update, none is made in place any more: free room in each page is of no use.
-- And a row that has grown beyond 2 kB is not worth compressing with every change and every look; beyond 4 kB it is.
ALTER TABLE "records" RESET (fillfactor);
ALTER TABLE "records" SET (toast_tuple_target = 4080);
