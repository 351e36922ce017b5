-- A webhook that is shut with a long backlog: the backlog is cancelled after that, in parts, and not by the transaction
-- that shuts it.
-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "is_cancelling" BOOLEAN NOT NULL DEFAULT false;

-- What is being cancelled would come to life again.
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_cancelling_is_shut" CHECK (NOT ("is_active" AND "is_cancelling"));

CREATE INDEX "webhooks_cancelling" ON "webhooks" ("key") WHERE "is_cancelling";

-- Claims find tests and deactivation calls by this.
ALTER TABLE "open_callouts" ADD CONSTRAINT "open_callouts_event_of_record" CHECK (("kind" = 'event') = ("record_id" > 0));

-- How many of its callouts were held in the episode.
-- AlterTable
ALTER TABLE "threshold_episode_webhooks" ADD COLUMN     "held" INTEGER NOT NULL DEFAULT 0;
