-- A resource keeps its row when it is deleted, so nothing that is done to one meets these. Only the erasure of a tenant
-- deletes rows of resources, after the webhooks and their children.
-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_tenant_id_owner_resource_id_fkey" FOREIGN KEY ("tenant_id", "owner_resource_id") REFERENCES "resources"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_excluded_resources" ADD CONSTRAINT "webhook_excluded_resources_tenant_id_resource_id_fkey" FOREIGN KEY ("tenant_id", "resource_id") REFERENCES "resources"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
