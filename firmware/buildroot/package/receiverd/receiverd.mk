################################################################################
#
# receiverd
#
################################################################################

RECEIVERD_VERSION = 0.1.0
# `npm run firmware` in a checkout makes the archive; copy it to this folder.
RECEIVERD_SOURCE = receiverd-$(RECEIVERD_VERSION)-firmware.tar.gz
RECEIVERD_SITE = $(BR2_EXTERNAL_RECEIVERD_PATH)/package/receiverd
RECEIVERD_SITE_METHOD = file
RECEIVERD_LICENSE = MIT
RECEIVERD_LICENSE_FILES = LICENSE
RECEIVERD_DEPENDENCIES = nodejs
RECEIVERD_CONF_OPTS = \
	-DRECEIVERD_DEMO=$(if $(BR2_PACKAGE_RECEIVERD_DEMO),ON,OFF) \
	-DRECEIVERD_UI=$(if $(BR2_PACKAGE_RECEIVERD_UI),ON,OFF)

define RECEIVERD_INSTALL_SETTINGS
	$(INSTALL) -D -m 0644 $(@D)/packaging/debian/receiverd.yaml \
		$(TARGET_DIR)/etc/receiverd/receiverd.yaml
endef
RECEIVERD_POST_INSTALL_TARGET_HOOKS += RECEIVERD_INSTALL_SETTINGS

define RECEIVERD_USERS
	receiverd -1 receiverd -1 * /var/lib/receiverd - video,audio receiverd
endef

define RECEIVERD_PERMISSIONS
	/var/lib/receiverd d 750 receiverd receiverd - - - - -
endef

define RECEIVERD_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(RECEIVERD_PKGDIR)/S80receiverd \
		$(TARGET_DIR)/etc/init.d/S80receiverd
endef

define RECEIVERD_INSTALL_INIT_SYSTEMD
	$(INSTALL) -D -m 0644 $(@D)/packaging/receiverd.service \
		$(TARGET_DIR)/usr/lib/systemd/system/receiverd.service
endef

$(eval $(cmake-package))
