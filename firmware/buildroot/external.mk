include $(BR2_EXTERNAL_RECEIVERD_PATH)/package/receiverd/receiverd.mk
