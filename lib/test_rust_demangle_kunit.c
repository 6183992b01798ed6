// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of rust_demangle().
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/rust_demangle.h>
#include <linux/seq_buf.h>
#include <linux/string.h>

struct test_rust_demangle_name {
	const char	*mangled;
	const char	*readable;
};

static const struct test_rust_demangle_name test_rust_demangle_names[] = {
	/* Functions, and things that have no name */
	{ "_RNvC4disk4read", "disk::read" },
	{ "_RNvNtCs4fqI2P2rA04_4disk5queue4read", "disk::queue::read" },
	{ "_RNvC4disk3_2nd", "disk::2nd" },
	{ "_RNCNvC4disk4read0", "disk::read::{closure#0}" },
	{ "_RNCNvC4disk4reads_0", "disk::read::{closure#1}" },
	{ "_RNCNvC4disk4reads0_0", "disk::read::{closure#2}" },
	{ "_RNSNvC4disk4read6vtable", "disk::read::{shim:vtable#0}" },
	/* Methods */
	{ "_RNvMC4diskNtB2_4Disk4read", "<disk::Disk>::read" },
	{ "_RNvMs3_C4diskNtB5_4Disk4read", "<disk::Disk>::read" },
	{ "_RNvXC4diskNtB2_4DiskNtC4core5Clone5clone",
	  "<disk::Disk as core::Clone>::clone" },
	{ "_RNvYNtC4disk4DiskNtC4core5Clone5clone",
	  "<disk::Disk as core::Clone>::clone" },
	/* Types */
	{ "_RINvC4disk4readabcdefE",
	  "disk::read::<i8, bool, char, f64, str, f32>" },
	{ "_RINvC4disk4readhijlmnoE",
	  "disk::read::<u8, isize, usize, i32, u32, i128, u128>" },
	{ "_RINvC4disk4readpstuvxyzE",
	  "disk::read::<_, i16, u16, (), ..., i64, u64, !>" },
	{ "_RINvC4disk4readReQShRL0_mE",
	  "disk::read::<&str, &mut [u8], &u32>" },
	{ "_RINvC4disk4readPhOhE", "disk::read::<*const u8, *mut u8>" },
	{ "_RINvC4disk4readTETmETmhEE",
	  "disk::read::<(), (u32,), (u32, u8)>" },
	{ "_RINvC4disk4readFEuE", "disk::read::<fn()>" },
	{ "_RINvC4disk4readFUKCmhEbE",
	  "disk::read::<unsafe extern \"C\" fn(u32, u8) -> bool>" },
	{ "_RINvC4disk4readFK9efiapi_64EuE",
	  "disk::read::<extern \"efiapi-64\" fn()>" },
	{ "_RINvC4disk4readFG_RL0_hEuE", "disk::read::<fn(&u8)>" },
	{ "_RINvC4disk4readDNtC4core4SendNtC4core4SyncEL_E",
	  "disk::read::<dyn core::Send + core::Sync>" },
	{ "_RINvC4disk4readDINtC4core2FnTmEEp6OutputbEL_E",
	  "disk::read::<dyn core::Fn<(u32,), Output = bool>>" },
	{ "_RINvC4disk4readDNtC4core4Iterp4ItemmEL_E",
	  "disk::read::<dyn core::Iter<Item = u32>>" },
	{ "_RINvC4disk4readINtC4core3VecmEE",
	  "disk::read::<core::Vec<u32>>" },
	{ "_RINvC4disk4readL_mE", "disk::read::<'_, u32>" },
	/* Constants */
	{ "_RINvC4disk4readAhj8_E", "disk::read::<[u8; 8]>" },
	{ "_RINvC4disk4readKln5_Kj10_KpE", "disk::read::<-5, 16, _>" },
	{ "_RINvC4disk4readKb0_Kb1_E", "disk::read::<false, true>" },
	{ "_RINvC4disk4readKc61_Kca_Kc27_Kc1f600_E",
	  "disk::read::<'a', '\\u{a}', '\\u{27}', '\\u{1f600}'>" },
	{ "_RINvC4disk4readKyffffffffffffffff_E",
	  "disk::read::<18446744073709551615>" },
	{ "_RINvC4disk4readKo10000000000000000_E",
	  "disk::read::<0x10000000000000000>" },
	/* What is referred to again */
	{ "_RINvC4disk4readNtB2_4DiskBd_E",
	  "disk::read::<disk::Disk, disk::Disk>" },
	{ "_RINvC4disk4readTmEBd_E", "disk::read::<(u32,), (u32,)>" },
	{ "_RINvC4disk4readAhj8_AhBf_E",
	  "disk::read::<[u8; 8], [u8; 8]>" },
	/* What comes behind */
	{ "_RINvC4core4readmEC4disk", "core::read::<u32>" },
	{ "_RNvC4disk4read.cold", "disk::read.cold" },
	{ "_RNvC4disk4read.llvm.123", "disk::read.llvm.123" },
};

static const char * const test_rust_demangle_bad[] = {
	"",
	"_",
	"_R",
	"_RN",
	"_Rnv",
	"_R0NvC4disk4read",
	"vfs_read",
	"_ZN4disk4readE",
	"_RNvC4disk4rea",
	"_RNvC4disk",
	"_RNvC4disk4",
	"_RNvC4disk99999999999999999999read",
	"_RNvC4disk4readX",
	"_RNvC4disk4readC4dis",
	"_R4disk",
	/* Lists without an end, and wrong types and constants */
	"_RINvC4disk4readm",
	"_RINvC4disk4readkE",
	"_RINvC4disk4readAhE",
	"_RINvC4disk4readKb2_E",
	"_RINvC4disk4readKlA_E",
	"_RINvC4disk4readKl5",
	"_RINvC4disk4readKd5_E",
	"_RINvC4disk4readKc110000_E",
	"_RINvC4disk4readKb10000000000000001_E",
	"_RINvC4disk4readKc10000000000000061_E",
	/* Letters of Latin-1, which ctype.h has as letters */
	"_RINvC4disk4read\340E",
	"_RN\340C4disk4read",
	"_RN\300C4disk4read",
	"_RNvCs\340_4disk4read",
	"_RINvC4disk4readKl\340_E",
	"_RINvC4disk4readDNtC4core4SendEE",
	/* To itself, ahead, and behind the end */
	"_RNvB1_4read",
	"_RNvB2_4read",
	"_RNvBzzzz_4read",
	"_RNvBzzzzzzzzzzzz_4read",
	"_RNvB",
	/* Deeper than anything that is written by hand */
	"_RINvC4disk4readRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRmE",
	/* Each part is twice the part before it */
	"_RINvC4disk4readTmmETBd_Bd_ETBh_Bh_ETBp_Bp_ETBx_Bx_ETBF_BF_ETBN_BN_EE",
};

static void test_rust_demangle_readable(struct kunit *test)
{
	DECLARE_SEQ_BUF(s, 128);

	for (int i = 0; i < ARRAY_SIZE(test_rust_demangle_names); i++) {
		const struct test_rust_demangle_name *name =
			&test_rust_demangle_names[i];

		seq_buf_clear(&s);
		KUNIT_EXPECT_TRUE_MSG(test,
				      rust_demangle(&s, name->mangled),
				      "%s", name->mangled);
		KUNIT_EXPECT_STREQ_MSG(test, seq_buf_str(&s), name->readable,
				       "%s", name->mangled);
	}
}

static void test_rust_demangle_refused(struct kunit *test)
{
	DECLARE_SEQ_BUF(s, 128);

	for (int i = 0; i < ARRAY_SIZE(test_rust_demangle_bad); i++) {
		seq_buf_clear(&s);
		seq_buf_puts(&s, "before");
		KUNIT_EXPECT_FALSE_MSG(test,
				       rust_demangle(&s,
						     test_rust_demangle_bad[i]),
				       "%s", test_rust_demangle_bad[i]);
		KUNIT_EXPECT_STREQ_MSG(test, seq_buf_str(&s), "before", "%s",
				       test_rust_demangle_bad[i]);
	}
}

/* All that is cut off anywhere is refused, and nothing behind its end is read. */
static void test_rust_demangle_cut_off(struct kunit *test)
{
	DECLARE_SEQ_BUF(s, 128);

	for (int i = 0; i < ARRAY_SIZE(test_rust_demangle_names); i++) {
		const char *name = test_rust_demangle_names[i].mangled;

		for (size_t len = 0; len < strcspn(name, "."); len++) {
			/* Of the exact size, for KASAN. */
			char *start = kunit_kzalloc(test, len + 1, GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, start);
			memcpy(start, name, len);
			seq_buf_clear(&s);
			/* A crate behind generic arguments may be missing. */
			if (!rust_demangle(&s, start) || strends(start, "E"))
				s.len = 0;
			KUNIT_EXPECT_EQ_MSG(test, s.len, 0, "%s", start);
			kunit_kfree(test, start);
		}
	}
}

/* A name is printed as a whole or not at all. */
static void test_rust_demangle_no_room(struct kunit *test)
{
	static const char name[] = "_RNvNtC4disk5queue4read";
	static const char readable[] = "disk::queue::read";

	for (size_t size = 1; size < sizeof(readable) + 4; size++) {
		char *buf = kunit_kzalloc(test, size, GFP_KERNEL);
		struct seq_buf s;
		bool printed;

		KUNIT_ASSERT_NOT_NULL(test, buf);
		seq_buf_init(&s, buf, size);
		printed = rust_demangle(&s, name);
		KUNIT_EXPECT_EQ(test, printed, size >= strlen(readable));
		KUNIT_EXPECT_EQ(test, s.len, printed ? strlen(readable) : 0);
		kunit_kfree(test, buf);
	}
}

static struct kunit_case test_rust_demangle_cases[] = {
	KUNIT_CASE(test_rust_demangle_readable),
	KUNIT_CASE(test_rust_demangle_refused),
	KUNIT_CASE(test_rust_demangle_cut_off),
	KUNIT_CASE(test_rust_demangle_no_room),
	{ }
};

static struct kunit_suite test_rust_demangle_suite = {
	.name = "rust_demangle",
	.test_cases = test_rust_demangle_cases,
};

kunit_test_suite(test_rust_demangle_suite);

MODULE_DESCRIPTION("KUnit tests of rust_demangle()");
MODULE_LICENSE("GPL");
