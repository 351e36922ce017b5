-- Times that are compared with now() keep its precision: rounded to milliseconds, what becomes due now is due up to half a
-- millisecond later, and a worker that asks at once passes it over until the sweep comes by.
ALTER TABLE "open_callouts" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6),
  ALTER COLUMN "lease_until" SET DATA TYPE TIMESTAMPTZ(6);
ALTER TABLE "pending_events" ALTER COLUMN "wake_at" SET DATA TYPE TIMESTAMPTZ(6);
