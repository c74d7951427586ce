# Executes firmware/buildroot/ as far as that goes without Buildroot: its infrastructure for cmake packages in short, with
# a toolchain file from cmake/toolchains/. The image of the box is then FOLDER/image.
#
#   make -f test/firmware/buildroot.mk ARCHIVE=FILE FOLDER=DIR TARGET=armv7 [OPTIONS=-D...]
.DELETE_ON_ERROR:
root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
export BR2_EXTERNAL_RECEIVERD_PATH := $(root)/firmware/buildroot
RECEIVERD_PKGDIR := $(BR2_EXTERNAL_RECEIVERD_PATH)/package/receiverd
TARGET_DIR := $(FOLDER)/image
INSTALL := install
source := $(FOLDER)/receiverd
CMAKE = cmake -S $(source) -B $(source)/build -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib \
	-DCMAKE_TOOLCHAIN_FILE=$(root)/cmake/toolchains/$(TARGET).cmake

.PHONY: image
image:

define cmake-package
image: @D = $(source)
image: $(FOLDER)/.config
	test "$$(notdir $(ARCHIVE))" = "$$(RECEIVERD_SOURCE)"
	mkdir -p $(source) $(TARGET_DIR)
	tar -xf $(ARCHIVE) --strip-components=1 -C $(source)
	test -f $(source)/$$(RECEIVERD_LICENSE_FILES)
	$(CMAKE) $$(RECEIVERD_CONF_OPTS) $(OPTIONS)
	cmake --build $(source)/build
	DESTDIR=$(TARGET_DIR) cmake --install $(source)/build
	$$(foreach hook,$$(RECEIVERD_POST_INSTALL_TARGET_HOOKS),$$($$(hook))$$(newline))
	$$(RECEIVERD_INSTALL_INIT_SYSV)
	$$(RECEIVERD_INSTALL_INIT_SYSTEMD)
endef
define newline


endef

$(FOLDER)/.config: $(root)/test/firmware/Config.in
	mkdir -p $(FOLDER)
	printf 'BR2_PACKAGE_NODEJS=y\nBR2_PACKAGE_RECEIVERD=y\n' >$(FOLDER)/defconfig
	CONFIG_= KCONFIG_CONFIG=$@ kconfig-conf --defconfig=$(FOLDER)/defconfig $<
	grep -x BR2_PACKAGE_RECEIVERD=y $@

include $(FOLDER)/.config
include $(BR2_EXTERNAL_RECEIVERD_PATH)/external.mk
